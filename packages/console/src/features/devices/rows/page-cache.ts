import type { DeviceRowFragment } from '../devices.generated.ts'

export interface Row {
  device: DeviceRowFragment
  isGone?: boolean
}

interface CachedPage {
  rows: Row[]
  hasMore: boolean
  /** Cursor after which the next page starts, or null if unknown. The cursor stays valid if neighboring rows move. */
  cursor: string | null
}

/** Evicts the least recently used page when the cache is full, so that a long scroll does not use too much memory. */
export class PageCache {
  readonly #pages = new Map<number, CachedPage>()
  readonly #positions = new Map<string, { page: number; row: number }>()
  readonly #maxPages: number

  constructor(maxPages: number) {
    this.#maxPages = maxPages
  }

  get size(): number {
    return this.#pages.size
  }

  /** Returns a page without marking it as used. */
  peek(number: number): CachedPage | undefined {
    return this.#pages.get(number)
  }

  get(number: number): CachedPage | undefined {
    const page = this.#pages.get(number)
    if (page === undefined) return undefined
    this.#pages.delete(number)
    this.#pages.set(number, page)
    return page
  }

  put(number: number, page: CachedPage): void {
    this.#delete(number)
    this.#pages.set(number, page)
    for (const [row, { device }] of page.rows.entries()) this.#positions.set(device.id, { page: number, row })
    if (this.#pages.size > this.#maxPages) this.#delete(this.#pages.keys().next().value as number)
  }

  find(id: string): Row | undefined {
    const position = this.#positions.get(id)
    return position === undefined ? undefined : this.#pages.get(position.page)?.rows[position.row]
  }

  /** Replaces a row if it is cached. `row` must be a new object, so that React renders the row again. */
  replace(id: string, row: Row): void {
    const position = this.#positions.get(id)
    const page = position === undefined ? undefined : this.#pages.get(position.page)
    if (position !== undefined && page !== undefined) page.rows[position.row] = row
  }

  #delete(number: number): void {
    for (const { device } of this.#pages.get(number)?.rows ?? [])
      if (this.#positions.get(device.id)?.page === number) this.#positions.delete(device.id)
    this.#pages.delete(number)
  }
}
