# The picture of the README: a corner plot of posterior samples, with the truth where it is known.
#
#   epsfree sample DIR -n 4000 > samples.csv
#   gnuplot -e "samples='samples.csv'; output='posterior.png'; truth='-4.605 -0.693 0 -4.605'" \
#           scripts/plot_corner.gp
#
# gnuplot is not needed for anything else.
set datafile separator comma
if (!exists("truth")) truth = ""
stats samples skip 1 nooutput
dims = int(STATS_columns)
array name[dims]
do for [i = 1:dims] { name[i] = system(sprintf("head -n 1 '%s' | cut -d, -f%d", samples, i)) }
array low[dims]
array high[dims]
do for [i = 1:dims] {
  stats samples using i skip 1 nooutput
  low[i] = STATS_mean - 4 * STATS_stddev
  high[i] = STATS_mean + 4 * STATS_stddev
}

# 1, 2 or 5 times a power of ten, near a third of the range.
magnitude(range) = 10 ** floor(log10(range / 3))
round_up(factor) = factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10
step(range) = round_up(range / 3 / magnitude(range)) * magnitude(range)

set terminal pngcairo size 240 * dims + 60, 240 * dims + 40 font "DejaVu Sans,10"
set output output
set multiplot
unset key
set tics scale 0.5
set border lc rgb "#666666"
blue = "#2060b0"
red = "#d03020"
do for [row = 1:dims] {
  do for [col = 1:row] {
    set lmargin at screen (0.09 + 0.89 * (col - 1) / dims)
    set rmargin at screen (0.09 + 0.89 * (col - 0.08) / dims)
    set tmargin at screen (0.98 - 0.89 * (row - 1) / dims)
    set bmargin at screen (0.98 - 0.89 * (row - 0.08) / dims)
    set xrange [low[col]:high[col]]
    x_step = step(high[col] - low[col])
    set xtics x_step format "%.2g"
    if (row == dims) { set xlabel name[col] noenhanced } else { unset xlabel; set xtics format "" }
    unset arrow
    if (words(truth) == dims) {
      set arrow from word(truth, col), graph 0 to word(truth, col), graph 1 nohead lc rgb red lw 1.5
    }
    if (row == col) {
      unset ytics
      unset ylabel
      width = (high[col] - low[col]) / 40.0
      set yrange [0:*]
      plot samples using (width * floor(column(col) / width) + width / 2):(1.0) skip 1 \
           smooth frequency with fillsteps lc rgb blue fs solid 0.35
    } else {
      set yrange [low[row]:high[row]]
      y_step = step(high[row] - low[row])
      set ytics y_step format "%.2g"
      if (col == 1) { set ylabel name[row] noenhanced offset 1, 0 } else { unset ylabel; set ytics format "" }
      if (words(truth) == dims) {
        set arrow from graph 0, first real(word(truth, row)) to graph 1, first real(word(truth, row)) \
            nohead lc rgb red lw 1.5
      }
      plot samples using col:row skip 1 with dots lc rgb blue
    }
  }
}
unset multiplot
