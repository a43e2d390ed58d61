import DataLoader from 'dataloader'
import { perRequest } from './per-request.ts'

/**
 * Returns a function that reads values in batches, separately for each set of arguments. With `cache`, a request reads
 * the value of a key only once for the same arguments.
 */
export function loaderByArguments<Context extends object, Args, Key, Value>(
  read: (context: Context, args: Args, keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  options: { maxBatchSize?: number; cache?: boolean } = {},
): (context: Context, args: Args, key: Key) => Promise<Value> {
  const loadersOf = perRequest((_context: Context) => new Map<string, DataLoader<Key, Value>>())
  return (context, args, key) => {
    const loaders = loadersOf(context)
    const name = JSON.stringify(args)
    let loader = loaders.get(name)
    if (loader === undefined) {
      loader = new DataLoader((keys) => read(context, args, keys), { cache: false, ...options })
      loaders.set(name, loader)
    }
    return loader.load(key)
  }
}

/**
 * Returns a function that returns a request's loader. The loader reads the values of several IDs with one call of
 * `read`, and resolves to `missing` for an ID without a value. Unless `cache` is false, a request reads the value of an
 * ID only once. All requests share `missing`, so callers must not change it.
 */
export function loaderById<Context extends object, Value, Missing>(
  { missing, cache = true }: { missing: Missing; cache?: boolean },
  read: (context: Context, ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (context: Context) => DataLoader<string, Value | Missing> {
  return perRequest((context) => {
    const load = async (ids: readonly string[]) => {
      const found = await read(context, ids)
      return ids.map((id) => found.get(id) ?? missing)
    }
    return new DataLoader<string, Value | Missing>(load, { cache })
  })
}
