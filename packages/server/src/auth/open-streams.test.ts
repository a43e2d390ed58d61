import { expect, it } from 'vitest'
import { ApiError } from '../errors.ts'
import { createOpenStreams } from './open-streams.ts'

it('ends a stream once, even if its key becomes invalid while the server stops', async () => {
  const checking = Promise.withResolvers<void>()
  const checked = Promise.withResolvers<ApiError>()
  const streams = createOpenStreams({
    perKey: 1,
    rejectionOf: () => {
      checking.resolve()
      return checked.promise
    },
  })
  const viewer = { accountId: 'account', email: 'ada@example.com', accessKey: 'MK1', readOnly: false }
  const reasons: string[] = []
  const release = streams.admit(viewer, ({ code }) => reasons.push(code))
  await checking.promise
  streams.endAll(new ApiError('UNAVAILABLE', 'the server is stopping'))
  streams.endAll(new ApiError('UNAVAILABLE', 'the server is stopping'))
  checked.resolve(new ApiError('UNAUTHENTICATED', 'the key was deleted'))
  await new Promise(setImmediate)
  expect(reasons).toEqual(['UNAVAILABLE'])
  release()
  streams.admit(viewer, () => {})()
})
