/** Result of a validation. */
type SchemaResult<Input> =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** A schema of any library that follows Standard Schema v1, reduced to the members that a page needs. */
export interface InputSchema<Input> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<Input> | Promise<SchemaResult<Input>>
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined
  }
}

/** Validates a value. Throws an error with the issues, so that the model can correct its arguments. */
export async function checkInput<Input>(
  schema: InputSchema<Input>,
  value: unknown,
): Promise<Input> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  throw new TypeError(`Wrong arguments: ${result.issues.map(({ message }) => message).join('; ')}`)
}
