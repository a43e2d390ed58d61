import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import classes from './device-cell.module.css'

/**
 * Leads to the device's page. A link of the router follows every change of the address, which hundreds of them need
 * not.
 */
export function DeviceAnchor({ id, name }: { id: string; name: string }) {
  const router = useRouter()
  const place = { to: '/devices/$deviceId', params: { deviceId: id } } as const
  const preload = (): void => void router.preloadRoute(place)
  const follow = (event: MouseEvent): void => {
    // Another window or a download is the browser's.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void router.navigate(place)
  }
  return (
    <a
      className={classes.name}
      href={`/devices/${encodeURIComponent(id)}`}
      title={name}
      onClick={follow}
      onFocus={preload}
      onMouseEnter={preload}
    >
      {name}
    </a>
  )
}
