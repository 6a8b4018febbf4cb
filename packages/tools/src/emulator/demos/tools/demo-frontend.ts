import { isJsonObject } from 'millrace'
import { call, createDemo, say } from './demo-command.ts'
import type { Turn } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { parseJsonOr } from '../../../parse-json-or.ts'

const question = 'The weekly report is ready. Shall I send it to the whole team now?'

/** A frontend tool: a question that only the user can answer. */
export const demoFrontend = createDemo('frontend', {
  summary: 'A question to you: the run pauses until you answer, even across a reload',
  tools: ['user_confirm'],
  reply: (turn) => (turn.step === 0 ? ask() : nextReply(turn)),
})

function ask(): ScriptedReply {
  const text = 'I have finished the weekly report. I will ask you before I send it.'
  return { blocks: [{ type: 'text', text }, call('user_confirm', { question })] }
}

function nextReply({ results }: Turn): ScriptedReply {
  const result = results.find(({ name }) => name === 'user_confirm')
  if (result === undefined || result.isError) return say(...failed(result?.text ?? ''))
  const answer = readAnswer(result.text)
  if (answer === true) return say(...confirmed)
  if (answer === false) return say(...refused)
  return say(...other(answer))
}

const howItWorks =
  'While I waited, nothing was running: the question was stored before you saw it. You could have closed the page and answered hours later.'

const confirmed = [
  '**Sent.** Thank you for confirming. (This is a demo: no report was sent.)',
  '',
  howItWorks,
]

const refused = [
  '**Not sent.** The report stays a draft until you decide otherwise.',
  '',
  howItWorks,
]

function other(answer: string): string[] {
  const quote = answer.split('\n').map((line) => `> ${line}`)
  const reply = 'That is neither a yes nor a no, so I have sent nothing. Your answer:'
  return [reply, '', ...quote, '', howItWorks]
}

function failed(reason: string): string[] {
  const quote = reason === '' ? '' : ` The page said: “${reason}”.`
  return [`I could not ask you, so I have sent nothing.${quote}`]
}

const decisions = new Map([
  ['yes', true],
  ['y', true],
  ['ok', true],
  ['true', true],
  ['no', false],
  ['n', false],
  ['false', false],
])

/** Reads an answer that may be a word, a JSON value or an object that holds one. */
function readAnswer(text: string): boolean | string {
  const value = parseJsonOr(text, text)
  const inner = isJsonObject(value) ? Object.values(value)[0] : value
  const plain = typeof inner === 'string' || typeof inner === 'boolean' ? String(inner) : text
  return decisions.get(plain.trim().toLowerCase()) ?? plain
}
