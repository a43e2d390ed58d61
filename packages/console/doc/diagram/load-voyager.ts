import 'graphql-voyager/dist/voyager.css'
import type { VoyagerProps } from 'graphql-voyager'
import scriptUrl from 'graphql-voyager/dist/voyager.standalone.js?url'

export interface Voyager {
  renderVoyager(element: HTMLElement, props: VoyagerProps): void
}

declare global {
  interface Window {
    GraphQLVoyager?: Voyager
  }
}

let loading: Promise<Voyager> | undefined

/** Voyager needs another version of React than the console. Its standalone script contains that version. */
export function loadVoyager(): Promise<Voyager> {
  loading ??= loadScript(scriptUrl).then(() => {
    if (window.GraphQLVoyager === undefined) throw new Error('the script that draws the diagram did not start')
    return window.GraphQLVoyager
  })
  // The next call loads the script again.
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

const loadScript = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.onload = () => resolve()
    script.onerror = () => reject(new Error('the script that draws the diagram could not be loaded'))
    document.head.append(script)
  })
