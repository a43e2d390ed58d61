import { useSyncExternalStore } from 'react'

export type View = 'reference' | 'picture' | 'try'

/** What the page shows, as its address says after `#`: `picture`, `try`, or a place in the reference such as `Device.attributes`. */
export interface Place {
  view: View
  /** Empty for the reference's first page. */
  type: string
  /** The element to go to: the whole of `Device.attributes`, or of `User.devices.sort`. */
  anchor: string
}

export function readPlace(hash: string): Place {
  const anchor = decode(hash.replace(/^#(overview$)?/, ''))
  if (anchor === 'picture' || anchor === 'try') return { view: anchor, type: '', anchor: '' }
  return { view: 'reference', type: anchor.split('.', 1)[0] ?? '', anchor }
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(listen, () => window.location.hash)
  return readPlace(hash)
}

function listen(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
