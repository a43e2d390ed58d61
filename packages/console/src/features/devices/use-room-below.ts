import { type RefObject, useLayoutEffect, useState } from 'react'

const LEAST_HEIGHT = 320
const BELOW = 20

/** The room that the window has below an element's top, in pixels. */
export function useRoomBelow(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(LEAST_HEIGHT)
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = (element.current?.getBoundingClientRect().top ?? 0) + window.scrollY
      setHeight(Math.max(LEAST_HEIGHT, Math.floor(window.innerHeight - top - BELOW)))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [element])
  return height
}
