import { Center, Loader } from '@mantine/core'

export function Loading({ what = 'page' }: { what?: string }) {
  return (
    <Center py={64} role="status" aria-label={`Loading ${what}`}>
      <Loader size="sm" />
    </Center>
  )
}
