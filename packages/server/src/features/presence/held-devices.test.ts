import { expect, test } from 'vitest'
import { createHeldDevices, type HeldDevices } from './held-devices.ts'

const device = { accountId: 'a', deviceId: 'd', address: '192.0.2.1' }

interface Connected {
  devices: HeldDevices
  /** The devices whose connections to this process must be closed. */
  closed: string[]
}

/** Connects a device and writes its hold. */
function connect(): Connected {
  const closed: string[] = []
  const devices = createHeldDevices({
    onPending() {},
    onLost: (deviceId) => closed.push(deviceId),
    isByAccount: false,
  })
  devices.connect(device)
  devices.confirm(devices.next(), [])
  return { devices, closed }
}

test('keeps a device that connects again while the write that finds another holder is in flight', async () => {
  const { devices, closed } = connect()
  devices.reclaim()
  const batch = devices.next()
  expect(batch.toWrite.reclaim).toMatchObject([device])
  devices.connect(device)
  devices.confirm(batch, batch.toWrite.reclaim)
  expect(closed).toEqual([])
  expect(devices.held()).toEqual([])

  const retake = devices.next()
  expect(retake.toWrite.take).toMatchObject([device])
  devices.confirm(retake, [])
  expect(devices.held()).toMatchObject([device])
})

test('closes the connection of a device that another process holds', async () => {
  const { devices, closed } = connect()
  devices.reclaim()
  const batch = devices.next()
  devices.confirm(batch, batch.toWrite.reclaim)
  expect(closed).toEqual([device.deviceId])
  expect(devices.size).toBe(0)
})

test('does not wait for the hold of a device whose grace period ends before the device is reclaimed', async () => {
  const { devices } = connect()
  devices.reclaim()
  const written = devices.written(device.deviceId)
  devices.disconnect(device.deviceId, 1_000)
  devices.releaseExpired(1_000)
  devices.confirm(devices.next(), [])
  await written
})

test('writes one hold for a device that reconnects after its grace period, before its first hold is written', () => {
  const devices = createHeldDevices({ onPending() {}, onLost() {}, isByAccount: false })
  devices.connect(device)
  devices.disconnect(device.deviceId, 1_000)
  devices.releaseExpired(1_000)
  devices.connect(device)
  const { queued, toWrite } = devices.next()
  expect(toWrite).toMatchObject({ take: [device], release: [] })
  devices.confirm({ queued, toWrite }, [])
  expect(devices.held()).toMatchObject([device])
  expect(devices.isPending()).toBe(false)
})
