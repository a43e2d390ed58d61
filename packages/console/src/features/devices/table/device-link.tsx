import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { inAccount } from '../../../app/account-path.ts'
import classes from './device-cell.module.css'

/** Avoids router links, which render again whenever the URL changes and would be slow in hundreds of rows. */
export function DeviceLink({ id, name }: { id: string; name: string }) {
  const router = useRouter()
  const target = { to: '/devices/$deviceId', params: { deviceId: id } } as const
  const preload = (): void => void router.preloadRoute(target)
  const follow = (event: MouseEvent): void => {
    // Leave the click to the browser if the user opens the page in another tab or window, or downloads it.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void router.navigate(target)
  }
  return (
    <a
      className={classes.name}
      href={inAccount(`/devices/${encodeURIComponent(id)}`)}
      title={name}
      tabIndex={-1}
      onClick={follow}
      onFocus={preload}
      onMouseEnter={preload}
    >
      {name}
    </a>
  )
}
