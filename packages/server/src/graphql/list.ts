/** One page of a list as resolvers hand it on; `total` is counted only when it is asked for. */
export interface List<Item> {
  items: Item[]
  total: () => Promise<number>
  hasMore: boolean
  /** Id of the page's last item; null on an empty page. */
  last: string | null
  /** The place behind the page's last item; null on an empty page. */
  cursor: string | null
}
