import 'graphql-voyager/dist/voyager.css'
import type { VoyagerProps } from 'graphql-voyager'
import scriptAddress from 'graphql-voyager/dist/voyager.standalone.js?url'

export interface Voyager {
  renderVoyager(element: HTMLElement, props: VoyagerProps): void
}

declare global {
  interface Window {
    GraphQLVoyager?: Voyager
  }
}

let loading: Promise<Voyager> | undefined

/** Voyager is made for another React than the console's: it comes as a script of its own, with the one it needs inside. */
export function loadVoyager(): Promise<Voyager> {
  loading ??= loadScript(scriptAddress).then(() => {
    if (window.GraphQLVoyager === undefined) throw new Error('the script that draws the picture did not start')
    return window.GraphQLVoyager
  })
  // Another try loads it anew.
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

const loadScript = (address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = address
    script.onload = () => resolve()
    script.onerror = () => reject(new Error('the script that draws the picture could not be loaded'))
    document.head.append(script)
  })
