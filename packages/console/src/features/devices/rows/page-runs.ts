export interface PageRun {
  first: number
  count: number
}

export function missingRuns(first: number, last: number, isLoaded: (page: number) => boolean): PageRun[] {
  const runs: PageRun[] = []
  for (let page = first; page <= last; page++) {
    if (isLoaded(page)) continue
    const run = runs.at(-1)
    if (run !== undefined && run.first + run.count === page) run.count++
    else runs.push({ first: page, count: 1 })
  }
  return runs
}

interface Extension {
  inView: { first: number; last: number }
  last: number
  max: number
  isLoaded(page: number): boolean
}

/** Extends a run away from the view, to at most `max` pages, so that scrolling needs fewer requests. */
export function extendRun({ first, count }: PageRun, { inView, last, max, isLoaded }: Extension): PageRun {
  let end = first + count
  if (first > inView.last) while (end - first < max && end <= last && !isLoaded(end)) end++
  if (end <= inView.first) while (end - first < max && first > 0 && !isLoaded(first - 1)) first--
  return { first, count: end - first }
}
