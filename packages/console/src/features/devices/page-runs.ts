/** Pages that follow each other and are asked for together. */
export interface PageRun {
  first: number
  count: number
}

/** The pages from `first` to `last` that are not there, those that follow each other as one. */
export function missingRuns(first: number, last: number, isThere: (page: number) => boolean): PageRun[] {
  const runs: PageRun[] = []
  for (let page = first; page <= last; page++) {
    if (isThere(page)) continue
    const run = runs.at(-1)
    if (run !== undefined && run.first + run.count === page) run.count++
    else runs.push({ first: page, count: 1 })
  }
  return runs
}

interface Widening {
  /** Pages that are in view: a run grows away from them. */
  inView: { first: number; last: number }
  /** The last page of the list. */
  last: number
  /** No run becomes longer. */
  most: number
  isThere(page: number): boolean
}

/** With pages that the next rows will be on: who scrolls on asks seldom. */
export function widened({ first, count }: PageRun, { inView, last, most, isThere }: Widening): PageRun {
  let end = first + count
  if (first > inView.last) while (end - first < most && end <= last && !isThere(end)) end++
  if (end <= inView.first) while (end - first < most && first > 0 && !isThere(first - 1)) first--
  return { first, count: end - first }
}
