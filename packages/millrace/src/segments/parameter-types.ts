/** The JSON types that an argument may have. */
export type ParameterType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | 'null'

/** What type each parameter of a tool has; others stay as they were written. */
export type ParameterTypes = Readonly<Record<string, ParameterType>>

/** The parameters of each tool, by its name, so that text values become what the tool expects. */
export type ToolParameters = Readonly<Record<string, ParameterTypes>>
