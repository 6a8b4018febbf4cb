import { demoPrompts } from '../emulator/index.ts'
import type { DevServer } from './dev-server.ts'
import { describeRecovered } from '../cli/hand-off.ts'

interface GreetingOptions {
  /** The module of the agents; absent for the demo agent. */
  readonly file?: string
  readonly apiKey?: string
  readonly modelId: string
  readonly baseURL: string | undefined
}

/** Describes a running server, and the next steps. */
export function toGreeting(server: DevServer, options: GreetingOptions): string {
  const { file } = options
  const recovered = describeRecovered(server.recovered)
  return [
    '',
    `  Millrace is running at ${server.url}`,
    '',
    ...(file === undefined ? demoFacts(server, options) : ownFacts(server, file)),
    ...(server.hasStudio
      ? []
      : ['  Studio    has not been built; only the API is served (npm run build)']),
    '',
    ...(file === undefined ? demoAdvice(server, options) : ownAdvice(server)),
    '',
    ...(recovered === undefined ? [] : [recovered, '']),
    '  Ctrl-C stops.',
    '',
  ].join('\n')
}

function ownFacts({ agents, defaultAgent, sessions }: DevServer, file: string): string[] {
  const names = Object.keys(agents)
  const others = names.length > 1 ? `; the default is ${defaultAgent}` : ''
  const model = agents[defaultAgent]?.model
  return [
    `  Agents    ${names.join(', ')}, from ${file}${others}`,
    ...(model === undefined ? [] : [`  Model     ${model}`]),
    `  Sessions  ${sessions}`,
  ]
}

function ownAdvice({ hasStudio, defaultAgent }: DevServer): string[] {
  return [
    hasStudio
      ? `  Open the address, and send a prompt to ${defaultAgent}.`
      : '  POST a prompt to /agent/run.',
    // Node sets this in the processes that it restarts.
    process.env['WATCH_REPORT_DEPENDENCIES'] === undefined
      ? '  Changes to the module take effect at the next start; --watch restarts by itself.'
      : '  Restarts when the module or one of its imports changes.',
  ]
}

function demoFacts(
  { sessions, workspace }: DevServer,
  { apiKey, modelId, baseURL }: GreetingOptions,
): string[] {
  return [
    apiKey === undefined
      ? '  Model     the built-in emulator, no key needed (ANTHROPIC_API_KEY switches to the real API)'
      : `  Model     ${modelId}, ${baseURL ?? 'the real API'} (MILLRACE_MODEL chooses another)`,
    `  Sessions  ${sessions}`,
    `  Files     in ${workspace}; they are removed when this process stops`,
  ]
}

function demoAdvice({ hasStudio }: DevServer, { apiKey }: GreetingOptions): string[] {
  return [
    `  ${hasStudio ? 'Open the address' : 'POST to /agent/run'} and send one of these:`,
    '',
    ...(apiKey === undefined ? demoRows() : realRows),
    ...(hasStudio
      ? [
          '',
          '  The parser lab parses the text of a model: add #lab to the address.',
          '  To use your own agents, name their module: millrace dev agents.js',
        ]
      : []),
  ]
}

const realRows = [
  '    What is the weather in Lisbon, and what time is it there?',
  '    Ask me whether I want to go on before you tell me a joke.',
]

/** Each group of demos is a row, since their prompts only differ in the last word. */
function demoRows(): string[] {
  const groups = [...new Set(demoPrompts.map(({ group }) => group))]
  const width = Math.max(...groups.map(({ length }) => length))
  return groups.map((group) => {
    const prompts = demoPrompts.filter((demo) => demo.group === group)
    const names = prompts.map(({ prompt }) => prompt.replace('/demo ', ''))
    return `    ${group.padEnd(width)}   /demo ${names.join(' | ')}`
  })
}
