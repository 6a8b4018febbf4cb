import type { ToolSchema } from '../../../events/index.ts'
import type { ToolParameters } from '../../../segments/index.ts'
import type { ToolNotation } from '../tool-notation.ts'
import { describeParameters } from './describe-schema.ts'
import { exampleArguments } from './example-value.ts'

/** Creates a prompt that describes the tools and their notation, with one worked example. */
export function toToolPrompt(
  tools: readonly [ToolSchema, ...ToolSchema[]],
  { notation, types }: { readonly notation: ToolNotation; readonly types: ToolParameters },
): string {
  const [{ name, inputSchema }] = tools
  const own = Object.hasOwn(types, name) ? types[name] : undefined
  return [
    '# Tools',
    'You can call the tools that are described below. To call one, write the call into your answer, in exactly this form:',
    notation.writeCall('name_of_the_tool', { name_of_a_parameter: 'its value' }),
    toRules(notation),
    `The results come in the next message, in the order of your calls, each in this form:`,
    notation.writeResult({ name: 'name_of_the_tool', text: 'what the tool answered' }),
    ...tools.map(describeTool),
    '## Example',
    `A call of ${name}:`,
    notation.writeCall(name, exampleArguments(inputSchema), own),
  ].join('\n\n')
}

function toRules({ rule }: ToolNotation): string {
  return [
    ...(rule === undefined ? [] : [rule]),
    'Use the names of tools and parameters exactly as they are written here. Give every required parameter.',
    'Do not put a call into a code block.',
    'Several calls may follow each other. After your calls, stop and wait: never write a result yourself.',
    'If you need no tool, answer without a call.',
  ]
    .map((line) => `- ${line}`)
    .join('\n')
}

function describeTool({ name, description, inputSchema }: ToolSchema): string {
  const parameters = describeParameters(inputSchema)
  return [
    `## ${name}`,
    ...(description.trim() === '' ? [] : [description.trim()]),
    parameters.length === 0 ? 'It has no parameters.' : `Parameters:\n${parameters.join('\n')}`,
  ].join('\n\n')
}
