/** An issue that a schema reports, with its path. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Validation result of a schema. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** A schema that implements Standard Schema v1, reduced to the members that tools and routes need. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    /** Standard JSON Schema: the conversion to JSON Schema. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
    }
  }
}

/** Checks for a Standard Schema, as opposed to a JSON Schema. */
export function isStandardSchema(value: object): value is StandardSchema {
  return '~standard' in value
}
