/** The JSON types of an argument. */
export type ParameterType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | 'null'

/** The type of each parameter of a tool; other parameters stay as written. */
export type ParameterTypes = Readonly<Record<string, ParameterType>>

/** The parameters of each tool, by its name, so that text values get the type of their parameter. */
export type ToolParameters = Readonly<Record<string, ParameterTypes>>
