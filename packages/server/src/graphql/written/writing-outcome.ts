import { type Json, RawJson } from '../values/raw-json.ts'

export class WrittenItems extends RawJson {
  readonly objects: number

  constructor(json: Json, objects: number) {
    super(json)
    this.objects = objects
  }
}

/** Thrown if items cannot be written from rows. The operation then runs again and resolves every field. */
export class WritingError extends Error {
  constructor(cause: unknown) {
    super('the items of a page could not be written from rows', { cause })
    this.name = 'WritingError'
  }
}
