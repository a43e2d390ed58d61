import { Center, Loader } from '@mantine/core'

/** Until a page's first answer is there. */
export function Loading({ what = 'page' }: { what?: string }) {
  return (
    <Center py={64} role="status" aria-label={`Loading ${what}`}>
      <Loader size="sm" />
    </Center>
  )
}
