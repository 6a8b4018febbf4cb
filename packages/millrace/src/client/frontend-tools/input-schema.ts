/** What a schema says of a value. */
type SchemaResult<Input> =
  | { readonly value: Input; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** A schema of any library that follows Standard Schema v1, as far as a page needs it. */
export interface InputSchema<Input> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<Input> | Promise<SchemaResult<Input>>
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined
  }
}

/** Checks a value; what is wrong with it is thrown, in words that a model can mend it by. */
export async function checkInput<Input>(
  schema: InputSchema<Input>,
  value: unknown,
): Promise<Input> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  throw new TypeError(`Wrong arguments: ${result.issues.map(({ message }) => message).join('; ')}`)
}
