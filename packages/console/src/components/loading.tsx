import { Center, Loader } from '@mantine/core'

/** Appears until a page's first data arrives. */
export function Loading({ what = 'page' }: { what?: string }) {
  return (
    <Center py={64} role="status" aria-label={`Loading ${what}`}>
      <Loader size="sm" />
    </Center>
  )
}
