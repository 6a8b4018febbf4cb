/** A demo prompt with its description. */
export interface Demo {
  readonly prompt: string
  readonly title: string
  readonly text: string
}

/** Demos on one subject. */
export interface DemoGroup {
  readonly title: string
  readonly demos: readonly Demo[]
}

function demo(name: string, title: string, text: string): Demo {
  return { prompt: `/demo ${name}`, title, text }
}

const text = demo('text', 'Markdown', 'Lists, code and a table, as they arrive')
const thinking = demo('thinking', 'Thinking', 'Reasoning first, then the answer')
const citations = demo('citations', 'Citations', 'Sentences with their sources')
const tools = demo('tools', 'Tools', 'Two calls run in parallel')
const writeFile = demo('write-file', 'Write a file', 'Readable while it is being written')
const frontend = demo('frontend', 'A question', 'The run pauses until you decide')
const approval = demo('approval', 'Approval', 'A file that is written only if you approve')
const patch = demo('patch', 'A patch', 'A diff that is applied only if you approve')
const subagents = demo(
  'subagents',
  'Sub-agents',
  'Two work in parallel; one asks you, one spawns a third',
)

/** The demos that the welcome shows first. */
export const firstDemos: readonly Demo[] = [text, thinking, tools, writeFile, approval, subagents]

/** All demos of the demo agent, in the order of difficulty. */
export const demoGroups: readonly DemoGroup[] = [
  {
    title: 'Text and thinking',
    demos: [
      text,
      thinking,
      citations,
      demo('long 25000', 'Long', '25,000 pieces: reload in the middle'),
    ],
  },
  {
    title: 'Tools and sub-agents',
    demos: [
      tools,
      demo('parallel-tools', 'Many tools', 'Eight calls, five at a time'),
      writeFile,
      demo('images', 'A picture', 'A tool that answers with a chart'),
      frontend,
      approval,
      patch,
      demo('deception', 'A deception', 'A file with hidden characters'),
      subagents,
    ],
  },
  {
    title: 'Tools of the provider',
    demos: [
      demo('web-search', 'Web search', 'An answer with links to its sources'),
      demo('code-execution', 'Run code', 'A program that the provider runs'),
      demo('files', 'A file', 'Created by the provider, stored by the server'),
      demo('mcp', 'MCP', 'Tools on two servers, one of them failing'),
      demo('pause-turn', 'A pause', 'A turn that continues by itself'),
    ],
  },
  {
    title: 'Failures',
    demos: [
      demo('max-tokens', 'Token limit', 'A truncated call that is not run'),
      demo('refusal', 'Refusal', 'The provider stops the answer'),
      demo('overloaded', 'Overloaded', 'Retried after a moment'),
      demo('cut', 'A broken line', 'A call that runs only when it is complete'),
      demo('error', 'A failure', 'How an interrupted answer looks'),
    ],
  },
]

const allDemos = demoGroups.flatMap(({ demos }) => demos)

/** Finds the demos that begin with a text; none if it is a complete demo or not a command. */
export function findDemos(typed: string): readonly Demo[] {
  if (!typed.startsWith('/') || allDemos.some(({ prompt }) => prompt === typed)) return []
  return allDemos.filter(({ prompt }) => prompt.startsWith(typed))
}
