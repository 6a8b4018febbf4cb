import { badRequest } from '../../errors/index.ts'

/** Reads an option with a few values from a query; an empty object if it is absent. Throws `bad_request` for another value. */
export function readChoice<const Name extends string, const Value extends string>(
  query: URLSearchParams,
  name: Name,
  values: readonly Value[],
): { readonly [Key in Name]?: Value } {
  const given = query.get(name)
  if (given === null) return {}
  const value = values.find((known) => known === given)
  if (value !== undefined) return { [name]: value } as { readonly [Key in Name]?: Value }
  throw badRequest(`\`${name}\` must be one of ${values.join(', ')}.`)
}
