import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { isChangeRejected, rejectionOfDocument } from '../../graphql/access/rejection.ts'
import { isPermitted, type PermissionName, permissionNames } from '../../permissions.ts'
import type { UserSimulateArgs } from '../../resolvers.generated.ts'
import { insideOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { readNeeds } from '../access-keys/document-permissions.ts'
import { assertReadable, assertWritable } from '../attributes/attribute-access.ts'
import {
  type AttributeName,
  assertAllowed,
  assertVisibleNames,
  joinAttributeName,
  parseAttributeName,
} from '../attributes/attribute-name.ts'
import { changesOnlySettings } from '../attributes/settings/own-settings.ts'
import { hasDevice } from '../devices/devices.ts'
import { countDevicesInside } from '../facets/facets.ts'
import { assertMayChangeAttributes } from '../restrictions/assert-may-change.ts'
import { withReach } from '../restrictions/reach.ts'
import type { Denial, Simulated, Simulation, Verdict } from './simulation.ts'
import { assertMay, readSubject, type Subject } from './subject.ts'
import { warningsOf } from './warnings.ts'

/** The reasons do not include missing permissions. */
interface Decision {
  readonly isAllowed: boolean
  readonly reasons: readonly string[]
}

export async function simulate(context: Context, args: UserSimulateArgs): Promise<Simulation> {
  const { document, variables, deviceId } = args
  const attribute = args.attribute == null ? undefined : readName(args.attribute)
  const subject = await readSubject(context, args)
  const { isOwn, isSession, rejection } = subject
  const caller = { viewer: await viewerOf(context, subject), isOwn, isRejected: rejection !== undefined }
  const ofDocument =
    document == null ? undefined : decideOnDocument(context, caller, { document, variables, isSession })
  const ofDevice = deviceId == null ? undefined : await decideOnDevice(context, caller, deviceId)
  const isInside = ofDevice?.isInside ?? true
  const ofReading = attribute && decideOnReading(caller.viewer, attribute, isInside)
  const ofWriting = attribute && decideOnWriting(caller.viewer, attribute, isInside)
  const decisions = [ofDocument, ofDevice, ofReading, ofWriting]
  return {
    allowed: ofDocument?.isAllowed ?? null,
    deviceReachable: ofDevice?.isAllowed ?? null,
    attributeReadable: ofReading?.isAllowed ?? null,
    attributeWritable: ofWriting?.isAllowed ?? null,
    permissions: permissionNames.map((permission) => verdictOn(subject, permission)),
    reasons: [
      ...new Set([
        ...(rejection === undefined ? [] : [rejection.reason]),
        ...decisions.flatMap((decision) => decision?.reasons ?? []),
        ...permissionNames.flatMap((permission) => denialOf(subject, permission)?.reason ?? []),
      ]),
    ],
    warnings: warningsOf(insideOf(caller.viewer)),
    caller,
  }
}

export async function countReached(context: Context, { caller }: Simulation): Promise<number> {
  if (!isPermitted(caller.viewer.permissions, 'DEVICE_READ')) return 0
  assertMayFind(context, caller)
  return countDevicesInside(context, insideOf(caller.viewer))
}

async function viewerOf({ db, viewer }: Context, { rejection, ...subject }: Subject): Promise<Viewer> {
  const { restriction, readOnly } = subject
  const permissions = rejection === undefined ? subject.permissions : 0
  return withReach(db, { accountId: viewer.accountId, email: viewer.email, permissions, restriction, readOnly })
}

function readName(text: string): AttributeName {
  const name = parseAttributeName(text, 'attribute')
  assertVisibleNames([{ name, value: '' }], { context: undefined, path: 'attribute' })
  assertAllowed(name, '', 'device', 'attribute')
  return name
}

const READ_ONLY = 'the key is read-only'

function decideOnDocument(
  context: Context,
  { viewer, isRejected }: Simulated,
  { isSession, ...input }: { document: string; variables: UserSimulateArgs['variables']; isSession: boolean },
): Decision {
  const needs = readNeeds(context, input, {
    hasDefaults: true,
    isOwnChange: (mutation) => isSession && changesOnlySettings(viewer.accountId, mutation),
  })
  const isChange = isChangeRejected(viewer, needs.kind)
  const rejection = rejectionOfDocument(viewer, needs)
  const isRestricted = rejection !== undefined && rejection.missing.length === 0
  return {
    isAllowed: !isRejected && !isChange && rejection === undefined,
    reasons: [...(isChange ? [READ_ONLY] : []), ...(isRestricted ? [rejection.error.message] : [])],
  }
}

async function decideOnDevice(
  context: Context,
  caller: Simulated,
  deviceId: string,
): Promise<Decision & { isInside: boolean }> {
  const { viewer } = caller
  assertMayFind(context, caller)
  const isInside = await hasDevice({ db: context.db, viewer }, deviceId)
  return {
    isInside,
    isAllowed: isInside && isPermitted(viewer.permissions, 'DEVICE_READ'),
    reasons: isInside ? [] : ['the device does not exist, or it is outside the restriction'],
  }
}

/**
 * Throws FORBIDDEN if the caller of the simulation lacks DEVICE_READ, unless the simulated access is the caller's own
 * and also lacks DEVICE_READ. The caller's own role, and other keys of the same person, can have permissions that the
 * caller's key lacks.
 */
function assertMayFind({ viewer }: Context, { isOwn, viewer: simulated }: Simulated): void {
  if (!isOwn || isPermitted(simulated.permissions, 'DEVICE_READ')) assertMay(viewer, 'DEVICE_READ')
}

function decideOnReading(viewer: Viewer, name: AttributeName, isInside: boolean): Decision {
  const isHidden = isForbidden(() => assertReadable(viewer, name))
  return {
    isAllowed: isInside && !isHidden && isPermitted(viewer.permissions, 'DEVICE_READ'),
    reasons: isHidden ? [`the restriction does not allow reading the attribute ${joinAttributeName(name)}`] : [],
  }
}

function decideOnWriting(viewer: Viewer, name: AttributeName, isInside: boolean): Decision {
  const shown = joinAttributeName(name)
  const isProtected = isForbidden(() => assertWritable(viewer, { name }))
  const target = { kind: 'device', context: undefined, names: [name] } as const
  const isReadByFilter = isForbidden(() => assertMayChangeAttributes(viewer, target))
  const { readOnly } = viewer
  return {
    isAllowed:
      isInside && !isProtected && !isReadByFilter && !readOnly && isPermitted(viewer.permissions, 'ATTRIBUTE_WRITE'),
    reasons: [
      ...(isProtected ? [`the restriction does not allow setting the attribute ${shown}`] : []),
      ...(isReadByFilter ? [`cannot set the attribute ${shown}, because the filter reads it`] : []),
      ...(readOnly ? [READ_ONLY] : []),
    ],
  }
}

function isForbidden(check: () => void): boolean {
  try {
    check()
    return false
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return true
    throw error
  }
}

function verdictOn(subject: Subject, permission: PermissionName): Verdict {
  const denial = denialOf(subject, permission) ?? subject.rejection
  return { permission, granted: denial === undefined, deniedBy: denial?.deniedBy ?? null }
}

const denialOf = ({ permissions, denialOfMissing }: Subject, permission: PermissionName): Denial | undefined =>
  isPermitted(permissions, permission) ? undefined : denialOfMissing(permission)
