import { isUtf8 } from 'node:buffer'
import { badInput } from '../errors.ts'
import type { State } from '../features/devices/device.ts'
import { isObject } from '../lib/json-fields.ts'

export function readObject(payload: Buffer | string): Record<string, unknown> {
  const value = readJson(payload)
  if (!isObject(value)) throw badInput('the payload must be a JSON object')
  return value
}

export function readArray(payload: Buffer | string): unknown[] {
  const value = readJson(payload)
  if (!Array.isArray(value)) throw badInput('the payload must be a JSON array')
  return value
}

export function readState(payload: Buffer | string): State {
  const text = readText(payload)
  const state = text.startsWith('"') ? readJson(text) : text
  if (state !== 'active' && state !== 'inactive') throw badInput('the payload must be active or inactive')
  return state
}

function readJson(payload: Buffer | string): unknown {
  const text = readText(payload)
  try {
    return JSON.parse(text)
  } catch {
    throw badInput('the payload must be valid JSON')
  }
}

function readText(payload: Buffer | string): string {
  if (typeof payload === 'string') return payload.trim()
  if (!isUtf8(payload)) throw badInput('the payload must be valid UTF-8')
  return payload.toString('utf8').trim()
}
