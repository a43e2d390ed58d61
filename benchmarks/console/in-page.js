// What device-list.ts has the page measure itself: how the page is driven does not count.
const measure = (() => {
  let began = 0
  let former
  let watching = new AbortController()
  let longTasks = 0
  new PerformanceObserver((list) => {
    longTasks += list.getEntries().length
  }).observe({ type: 'longtask' })

  /** What the rows in view are, in words; undefined while one of them is missing. */
  const shown = () => {
    const table = document.querySelector('[role=table][aria-label=Devices]')
    if (table === null || table.getAttribute('aria-busy') === 'true') return undefined
    const { top, bottom } = table.getBoundingClientRect()
    const rows = [...table.querySelectorAll('[role=row][aria-selected]')].filter((row) => {
      const place = row.getBoundingClientRect()
      return place.bottom > top && place.top < bottom
    })
    const names = rows.map((row) => row.querySelector('a')?.textContent)
    if (names.length === 0 || names.includes(undefined)) return undefined
    return `${table.getAttribute('aria-rowcount')} ${names.join(' ')}`
  }

  /** Calls back before each frame until it says true. */
  const eachFrame = (look) => requestAnimationFrame(() => look() || eachFrame(look))

  return {
    shown,
    /** The time counts from the next event of a person. */
    begin() {
      former = shown()
      watching.abort()
      watching = new AbortController()
      const start = (event) => {
        began = event.timeStamp
        watching.abort()
      }
      for (const type of ['pointerdown', 'input', 'scroll'])
        addEventListener(type, start, { capture: true, signal: watching.signal })
    },
    /** Milliseconds until all rows in view are there, and others than before. */
    untilShown: (most) =>
      new Promise((resolve, reject) => {
        const until = performance.now() + most
        eachFrame(() => {
          const now = shown()
          const isDone = now !== undefined && now !== former
          if (isDone) resolve(performance.now() - began)
          else if (performance.now() > until) reject(new Error(`after ${most} ms: ${now ?? 'rows are missing'}`))
          return isDone || performance.now() > until
        })
      }),
    /** Milliseconds between frames for so long, and how many tasks took more than 50 ms meanwhile. */
    frames: (milliseconds) =>
      new Promise((resolve) => {
        const gaps = []
        const first = performance.now()
        let last = first
        longTasks = 0
        eachFrame(() => {
          const now = performance.now()
          gaps.push(now - last)
          last = now
          if (now - first < milliseconds) return false
          resolve({ gaps, longTasks })
          return true
        })
      }),
  }
})()
globalThis.measure = measure
