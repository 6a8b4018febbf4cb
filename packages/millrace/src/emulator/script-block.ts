import type { JsonObject } from '../json/index.ts'
import { createId, type Random } from './random.ts'
import type { ScriptedText, ScriptedThinking, ScriptedToolUse } from './scenario.ts'
import { splitJson, splitText } from './split-text.ts'
import { signThinking } from './thinking-signature.ts'
import { countTokens } from './token-count.ts'

/** A block of a reply, ready to be sent piece by piece or whole. */
export interface BlockScript {
  /** The block as `content_block_start` shows it. */
  readonly start: JsonObject
  readonly deltas: readonly JsonObject[]
  /** The block as a message holds it. */
  readonly whole: JsonObject
  readonly tokens: number
}

/** Prepares a block of a reply. */
export function scriptBlock(
  block: ScriptedText | ScriptedThinking | ScriptedToolUse,
  random: Random,
): BlockScript {
  if (block.type === 'text') return scriptText(block, random)
  if (block.type === 'thinking') return scriptThinking(block, random)
  return scriptCall(block, random)
}

function scriptText({ text }: ScriptedText, random: Random): BlockScript {
  const pieces = typeof text === 'string' ? splitText(text, random) : text
  const whole = pieces.join('')
  return {
    start: { type: 'text', text: '' },
    deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
    whole: { type: 'text', text: whole },
    tokens: countTokens(whole),
  }
}

function scriptThinking({ thinking }: ScriptedThinking, random: Random): BlockScript {
  const signature = signThinking(thinking)
  const pieces = splitText(thinking, random)
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
    whole: { type: 'thinking', thinking, signature },
    tokens: countTokens(thinking),
  }
}

function scriptCall({ name, input }: ScriptedToolUse, random: Random): BlockScript {
  const call = { type: 'tool_use', id: createId('toolu', random), name }
  const caller = { type: 'direct' }
  const json = JSON.stringify(input)
  const pieces = splitJson(json, random)
  return {
    start: { ...call, input: {}, caller },
    deltas: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    whole: { ...call, input, caller },
    tokens: countTokens(name + json),
  }
}
