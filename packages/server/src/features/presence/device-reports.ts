import { workerChooser } from '../../db/cluster/choose-transaction-worker.ts'
import type { Database } from '../../db/database.ts'
import type { ReadRouter } from '../../db/replica/read-router.ts'
import { ApiError } from '../../errors.ts'
import { bytesOfItems, type StorageQuotas } from '../../rate-limits/storage-quotas.ts'
import type { Viewer } from '../../viewer.ts'
import { setAttributesEach } from '../attributes/set-attributes.ts'
import type { State } from '../devices/device.ts'
import { deviceSource } from '../events/event-source.ts'
import { type DeviceServiceInput, syncServices } from '../services/sync-services.ts'
import { batchByAccount } from './batch-by-account.ts'
import type { Connections } from './connections.ts'
import { applyStateReports } from './state-reports.ts'

export interface ReportingDevice {
  deviceId: string
  viewer: Viewer
  address: string
}

/** Each promise resolves when the report is committed. */
export interface DeviceReports {
  /** Sets attributes of the device or of one of its services, like `setAttributes`. */
  attributes(device: ReportingDevice, targetId: string, attributes: Record<string, unknown>): Promise<void>
  serviceState(device: ReportingDevice, serviceId: string, state: State): Promise<void>
  /** Updates the device's services to match the list (see `syncServices`). */
  services(device: ReportingDevice, services: readonly DeviceServiceInput[]): Promise<{ id: string; name: string }[]>
}

export interface DeviceReportsOptions {
  db: Database
  /** On a cluster, chooses the worker that stores an account. */
  readRouter?: ReadRouter | undefined
  connections: Connections
  storage: StorageQuotas
  onEvents: () => void
}

export function createDeviceReports(options: DeviceReportsOptions): DeviceReports {
  const { db, readRouter, connections, storage, onEvents } = options
  const writeAttributes = batchByAccount<{
    device: ReportingDevice
    targetId: string
    attributes: Record<string, unknown>
  }>(async (accountId, items) => {
    const inputs = items.map(({ device, targetId, attributes }) => ({
      serviceId: targetId,
      attributes,
      deviceId: device.deviceId,
      charge: (bytes: number) => chargeDevice(storage, device, bytes),
    }))
    const context = { db, chooseWorker: workerChooser(readRouter, accountId), viewer: items[0]!.device.viewer }
    const outcomes = await setAttributesEach(context, inputs)
    onEvents()
    return outcomes.map((outcome) => (outcome instanceof ApiError ? outcome : undefined))
  })

  const writeStates = batchByAccount<{ device: ReportingDevice; serviceId: string; state: State }>(
    async (accountId, items) => {
      const reports = items.map(({ device: { deviceId, address }, serviceId, state }) => ({
        id: serviceId,
        state,
        deviceId,
        address,
      }))
      const outcomes = await db
        .transaction()
        .execute((transaction) => applyStateReports(transaction, accountId, { reports, source: deviceSource }))
      onEvents()
      return outcomes
    },
  )

  return {
    async attributes(device, targetId, attributes) {
      await writeAttributes(device.viewer.accountId, { device, targetId, attributes })
      connections.reported(device.deviceId)
    },
    async serviceState(device, serviceId, state) {
      // Wait, because a service can be active only if its device is active, and the device's active state may not have
      // been written yet.
      await connections.written(device.deviceId)
      await writeStates(device.viewer.accountId, { device, serviceId, state })
    },
    async services(device, services) {
      chargeDevice(storage, device, bytesOfItems(services))
      const synced = await syncServices({ db, viewer: device.viewer }, device.deviceId, services)
      connections.reported(device.deviceId)
      onEvents()
      return synced
    },
  }
}

const chargeDevice = (storage: StorageQuotas, { deviceId, viewer }: ReportingDevice, bytes: number): void =>
  storage.chargeDevice({ accountId: viewer.accountId, deviceId }, bytes)
