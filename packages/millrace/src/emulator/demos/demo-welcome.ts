import type { Scenario, Turn } from '../scenario.ts'
import { say } from './demo-command.ts'
import type { DemoPrompt } from './demo-scenarios.ts'

/** Answers whatever the other demos leave, and names them. */
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
    summary: 'What the demos are',
    matches: () => true,
    reply: (turn) =>
      say(
        ...greet(turn).flatMap((line) => [line, '']),
        ...list,
        'To talk to a real model, set `ANTHROPIC_API_KEY` and start again; nothing else changes.',
      ),
  }
}

/** Whoever asks for a demo by a name; only what cannot be markup is repeated. */
const namedDemo = /^\/demo\s+([\w-]{1,40})/i

function greet({ prompt, results }: Turn): string[] {
  const demo = namedDemo.exec(prompt)?.[1]
  const names = results.map(({ name }) => `\`${name}\``).join(' and ')
  const offer = 'I can show you what Millrace does, though. Send one of these:'
  if (names !== '')
    return [
      `Thank you, the answer of ${names} has reached me. I follow a script, so I cannot make use of it.`,
      offer,
    ]
  if (demo !== undefined) return [`There is no demo \`${demo}\`.`, 'These are the demos:']
  return [
    'Hello! I am a stand-in for a model: I follow a script, so I cannot answer questions of your own.',
    offer,
  ]
}
