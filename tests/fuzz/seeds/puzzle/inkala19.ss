# name: Inkala 2012, 19 of its 21 clues
# expected: 22,704
# Irregular, in no time: two clues less, and one solution becomes 22,704. Shows rows in frames (.ss).
# source: counted by census and by the crate sudoku 0.8, which agree
8..|...|...
..3|...|...
.7.|.9.|2..
---+---+---
.5.|..7|...
...|.45|7..
...|1..|.3.
---+---+---
..1|...|.68
..8|5..|.1.
...|...|4..
