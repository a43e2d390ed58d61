/** A page of a list, as resolvers return it. `total` is counted only if it is selected. */
export interface List<Item> {
  items: Item[]
  total: () => Promise<number>
  hasMore: boolean
  /** Id of the page's last item; null on an empty page. */
  last: string | null
  /** The position after the page's last item; null on an empty page. */
  cursor: string | null
}
