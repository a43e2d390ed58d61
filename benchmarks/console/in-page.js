// The benchmarks run this script in the page, so the times do not include the overhead of browser automation.
const measure = (() => {
  let began = 0
  let previous
  let listening = new AbortController()
  let longTasks = 0
  new PerformanceObserver((list) => {
    longTasks += list.getEntries().length
  }).observe({ type: 'longtask' })

  const describeRows = () => {
    const table = document.querySelector('[role=grid][aria-label=Devices]')
    if (table === null)
      return [...document.querySelectorAll('main h2, main h3')].find(
        (title) => title.textContent === 'No matching devices',
      )?.textContent
    if (table.getAttribute('aria-busy') === 'true') return undefined
    const { top, bottom } = table.getBoundingClientRect()
    const rows = [...table.querySelectorAll('[role=row][aria-selected]')].filter((row) => {
      const bounds = row.getBoundingClientRect()
      return bounds.bottom > top && bounds.top < bottom
    })
    const names = rows.map((row) => row.querySelector('a')?.textContent)
    if (names.length === 0 || names.includes(undefined)) return undefined
    return `${table.getAttribute('aria-rowcount')} ${names.join(' ')}`
  }

  /** Calls the function before each frame until the function returns true. */
  const eachFrame = (callback) => requestAnimationFrame(() => callback() || eachFrame(callback))

  /**
   * Resolves with the milliseconds from `began` to the first frame in which the condition is true. Rejects if the
   * condition is still false after `timeout` ms.
   */
  const until = (isDone, timeout) =>
    new Promise((resolve, reject) => {
      const end = performance.now() + timeout
      eachFrame(() => {
        if (isDone()) resolve(performance.now() - began)
        else if (performance.now() > end)
          reject(
            new Error(
              `The page did not reach the expected state in ${timeout} ms. Device list: ${describeRows() ?? 'no complete rows'}`,
            ),
          )
        else return false
        return true
      })
    })

  return {
    begin() {
      previous = describeRows()
      began = 0
      listening.abort()
      listening = new AbortController()
      const start = (event) => {
        began = event.timeStamp
        listening.abort()
      }
      for (const type of ['pointerdown', 'input', 'scroll'])
        addEventListener(type, start, { capture: true, signal: listening.signal })
    },
    /**
     * Resolves with the milliseconds from the first press, input, or scroll after `begin` until the list has changed
     * and all visible rows are loaded.
     */
    untilShown: (timeout) =>
      until(() => {
        const now = describeRows()
        return now !== undefined && now !== previous
      }, timeout),
    /**
     * Resolves with the milliseconds from the first press, input, or scroll after `begin` until the page shows
     * completions.
     */
    untilOptions: (timeout) => {
      const isShown = () => [...document.querySelectorAll('[role=option]')].some((option) => option.checkVisibility())
      return until(() => began > 0 && isShown(), timeout)
    },
    /** Resolves with the milliseconds from the opening of the page until every selector matches an element. */
    untilAll: (selectors, timeout) => {
      began = 0
      return until(() => selectors.every((selector) => document.querySelector(selector) !== null), timeout)
    },
    /** Resolves after `milliseconds` with the times between frames in ms and the number of tasks over 50 ms. */
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
