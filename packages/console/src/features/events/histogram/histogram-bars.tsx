import { type KeyboardEvent, useRef, useState } from 'react'
import { countText, type HistogramProps, rangeText } from './describe-interval.ts'
import classes from './histogram.module.css'

/** The bars form one tab stop. The left and right arrow keys, Home, and End move between them. */
export function HistogramBars({ intervals, onRange }: HistogramProps) {
  const [current, setCurrent] = useState(Number.POSITIVE_INFINITY)
  const bars = useRef<HTMLDivElement>(null)
  const most = Math.max(1, ...intervals.map(({ count }) => count))
  const stop = Math.min(current, intervals.length - 1)
  const move = (event: KeyboardEvent): void => {
    const last = intervals.length - 1
    const next = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: last }[event.key]
    if (next === undefined || next < 0 || next > last) return
    event.preventDefault()
    setCurrent(next)
    bars.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <>
      <div className={classes.most} aria-hidden="true">
        {intervals.length === 0 ? '' : most.toLocaleString()}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the bars are buttons, and the keys move between them */}
      <div className={classes.bars} ref={bars} onKeyDown={move}>
        {intervals.map(({ from, until, count }, index) => {
          const label = `${rangeText(from, until)}: ${countText(count)}`
          return (
            <button
              key={from}
              type="button"
              className={classes.bar}
              title={label}
              aria-label={label}
              tabIndex={index === stop ? 0 : -1}
              onFocus={() => setCurrent(index)}
              onClick={() => onRange({ from, to: until })}
            >
              <span style={{ height: count === 0 ? 0 : `max(2px, ${(100 * count) / most}%)` }} />
            </button>
          )
        })}
      </div>
    </>
  )
}
