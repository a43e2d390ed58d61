import type { Permission } from '../../../../graphql/schema-types.generated.ts'
import { accessInput, type RestrictionValues, unrestricted } from '../../../access/access-values.ts'
import { isReadOnly } from '../../../access/permissions.ts'
import type { Viewer } from '../../../user-settings/viewer.ts'
import { type ExpiryValue, expiryTime, inDays, noExpiry } from '../../expiry.tsx'
import type { CreateAccessKeyMutationVariables, KeyPolicyFieldsFragment } from '../keys.generated.ts'

export interface KeyValues {
  name: string
  purpose: string
  document: string
  /** The permissions of the key if the purpose is `document` or `choose`. */
  permissions: Permission[]
  restriction: RestrictionValues
  networks: string[]
  expiry: ExpiryValue
  rateShare: number | string
  kind: 'account' | 'personal'
  requireDigest: boolean
  signing: 'secret' | 'public'
  publicKey: string
}

export type Policy = KeyPolicyFieldsFragment

const choices = [1, 7, 30, 90, 365]

/** Returns initial values whose expiry and digest requirement comply with the policy. */
export function initialValues(policy: Policy | undefined, may: Viewer['may']): KeyValues {
  const canRead = may('DEVICE_READ')
  const maxDays = policy?.maxDays ?? null
  return {
    name: '',
    purpose: canRead ? 'read' : 'choose',
    document: '',
    permissions: canRead ? ['DEVICE_READ'] : [],
    restriction: unrestricted,
    networks: [],
    expiry: maxDays === null ? noExpiry : inDays(choices.findLast((days) => days <= maxDays) ?? 1),
    rateShare: 100,
    kind: may('KEY_MANAGE') ? 'account' : 'personal',
    requireDigest: policy?.requireDigest ?? false,
    signing: 'secret',
    publicKey: '',
  }
}

export function toVariables(values: KeyValues, permissions: readonly Permission[]): CreateAccessKeyMutationVariables {
  const { name, restriction, networks, expiry, rateShare, kind, requireDigest, signing, publicKey } = values
  return {
    name: name.trim() || null,
    access: accessInput(permissions, restriction),
    personal: kind === 'personal',
    networks,
    rateShare: Number(rateShare),
    // Mark the key as read-only if its permissions allow no mutation, so that the console shows it as read-only.
    readOnly: isReadOnly(permissions),
    requireDigest,
    expires: expiryTime(expiry),
    publicKey: signing === 'public' ? publicKey.trim() : null,
  }
}
