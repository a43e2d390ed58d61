/** A value that is attached to an object of another module, such as a request. */
export interface Slot<Owner extends object, Value> {
  get(owner: Owner): Value | undefined
  set(owner: Owner, value: Value): void
}

/** Uses a symbol property, because each minor garbage collection would visit all entries of a WeakMap. */
export function createSlot<Owner extends object, Value>(name: string): Slot<Owner, Value> {
  const key = Symbol(name)
  type Holder = { [key]?: Value }
  return {
    get: (owner) => (owner as Holder)[key],
    set(owner, value) {
      ;(owner as Holder)[key] = value
    },
  }
}
