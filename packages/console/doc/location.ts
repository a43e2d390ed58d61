import { useSyncExternalStore } from 'react'

export type View = 'reference' | 'diagram' | 'try'

export interface DocLocation {
  view: View
  /** Name of the type that is or contains the selected entry, such as `Device`. Empty if no entry is selected. */
  type: string
  /**
   * The selected entry, such as `Device`, `Device.attributes`, or `User.devices.sort`. Empty if no entry is selected.
   */
  anchor: string
}

function parseHash(hash: string): DocLocation {
  const anchor = decode(hash.replace(/^#(overview$)?/, ''))
  if (anchor === 'diagram' || anchor === 'try') return { view: anchor, type: '', anchor: '' }
  return { view: 'reference', type: anchor.split('.', 1)[0] ?? '', anchor }
}

export const useDocLocation = (): DocLocation => parseHash(useSyncExternalStore(listen, () => window.location.hash))

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
