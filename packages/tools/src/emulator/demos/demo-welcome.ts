import type { Scenario, Turn } from '../replies/scenario.ts'
import { say } from './tools/demo-command.ts'
import type { DemoPrompt } from './demo-scenarios.ts'
import { describeSentFiles, toPlainLine } from './tools/sent-files.ts'

/** Creates the scenario that answers every prompt without a demo and lists the demos. */
export function createWelcome(demos: readonly DemoPrompt[]): Scenario {
  const list = [...new Set(demos.map(({ group }) => group))].flatMap((group) => [
    `**${group}**`,
    '',
    ...demos
      .filter((demo) => demo.group === group)
      .map(({ prompt, summary }) => `- \`${prompt}\` – ${summary}`),
    '',
  ])
  return {
    name: 'welcome',
    summary: 'A list of the demos',
    matches: () => true,
    reply: (turn) => say(...greet(turn).flatMap((line) => [line, '']), ...list.slice(0, -1)),
    acknowledge,
  }
}

/** A prompt that asks for a demo by name; the pattern admits no markup, so the name can be repeated. */
const namedDemo = /^\/demo\s+([\w-]{1,40})/i

const realModel =
  'For a real model, set `ANTHROPIC_API_KEY` (and `MILLRACE_MODEL`, to choose one) and start again; nothing else changes.'

function greet({ prompt, results, messages }: Turn): string[] {
  const demo = namedDemo.exec(prompt)?.[1]
  const names = results.map(({ name }) => `\`${name}\``).join(' and ')
  const offer = 'I can show you what Millrace does, though. Send one of these:'
  if (names !== '')
    return [
      `Thank you, I received the result of ${names}. I follow a script, so I cannot use it.`,
      realModel,
      offer,
    ]
  if (demo !== undefined) return [`There is no demo \`${demo}\`.`, 'These are the demos:']
  const files = describeSentFiles(messages)
  const thanks = 'I received your files, but I cannot read them:'
  return [
    'Hello! I am a scripted stand-in for a model: I need no key, but I cannot answer questions of your own.',
    realModel,
    ...(files.length === 0 ? [] : [thanks, files.join('\n')]),
    offer,
  ]
}

const maxQuotedChars = 80
const maxQuoted = 3

/** Quotes a message that arrives while a demo is running; `/demo` with any name is a new prompt instead. */
function acknowledge(words: readonly string[]): string | undefined {
  if (words.some((one) => /^\/demo\b/i.test(one))) return undefined
  const quotes = words
    .slice(-maxQuoted)
    .filter((one) => one !== '')
    .map((one) => `“${toPlainLine(one, maxQuotedChars)}”`)
    .join(' and ')
  const heard = quotes === '' ? 'I received your message.' : `You wrote ${quotes}.`
  return `${heard} A model would act on that; I follow a script and continue.`
}
