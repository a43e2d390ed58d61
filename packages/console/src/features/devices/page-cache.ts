import type { DeviceRowFragment } from './devices.generated.ts'

export interface Row {
  device: DeviceRowFragment
  /** The device was deleted while it was shown. */
  isGone?: boolean
}

export interface CachedPage {
  rows: Row[]
  hasMore: boolean
  /** Where the next page starts, wherever its neighbours go. */
  cursor: string | null
}

/**
 * Pages of the list by number. The one looked at longest ago goes first, so that a long scroll holds no more than a
 * short one.
 */
export class PageCache {
  readonly #pages = new Map<number, CachedPage>()
  readonly #places = new Map<string, { page: number; row: number }>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#pages.size
  }

  peek(number: number): CachedPage | undefined {
    return this.#pages.get(number)
  }

  /** Marks the page as looked at. */
  look(number: number): CachedPage | undefined {
    const page = this.#pages.get(number)
    if (page === undefined) return undefined
    this.#pages.delete(number)
    this.#pages.set(number, page)
    return page
  }

  put(number: number, page: CachedPage): void {
    this.#forget(number)
    this.#pages.set(number, page)
    for (const [row, { device }] of page.rows.entries()) this.#places.set(device.id, { page: number, row })
    if (this.#pages.size > this.#most) this.#forget(this.#pages.keys().next().value as number)
  }

  find(id: string): Row | undefined {
    const place = this.#places.get(id)
    return place === undefined ? undefined : this.#pages.get(place.page)?.rows[place.row]
  }

  /** Another object, so that what shows the row notices. */
  replace(id: string, row: Row): void {
    const place = this.#places.get(id)
    const page = place === undefined ? undefined : this.#pages.get(place.page)
    if (place !== undefined && page !== undefined) page.rows[place.row] = row
  }

  #forget(number: number): void {
    for (const { device } of this.#pages.get(number)?.rows ?? [])
      if (this.#places.get(device.id)?.page === number) this.#places.delete(device.id)
    this.#pages.delete(number)
  }
}
