/** Returns only the fields that the user changed, so that an update keeps concurrent changes to other fields. */
export const changedFields = <Values extends object>(before: Values, after: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Values]),
    ),
  ) as Partial<Values>
