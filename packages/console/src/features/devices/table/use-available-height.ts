import { type RefObject, useLayoutEffect, useState } from 'react'

const MIN_HEIGHT = 320
const BOTTOM_MARGIN = 20

export function useAvailableHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(MIN_HEIGHT)
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = (element.current?.getBoundingClientRect().top ?? 0) + window.scrollY
      setHeight(Math.max(MIN_HEIGHT, Math.floor(window.innerHeight - top - BOTTOM_MARGIN)))
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
