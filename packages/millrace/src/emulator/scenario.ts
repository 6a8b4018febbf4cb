import type { JsonObject, JsonValue } from '../json/index.ts'
import type { ApiErrorType } from './api-error.ts'
import type { Pace } from './pace.ts'

/** What a scenario has read out of the prompt that chose it. */
export type ScenarioArgs = Readonly<Record<string, string | number>>

/** A tool call of the scripted model, with what came back. */
export interface ToolOutcome {
  readonly id: string
  readonly name: string
  readonly input: JsonValue
  readonly text: string
  readonly isError: boolean
}

/** What a scenario may know when it is the model's turn. */
export interface Turn {
  /** The text of the last message in which a person said something. */
  readonly prompt: string
  readonly args: ScenarioArgs
  /** How often the model has answered since the prompt: 0 for the first time. */
  readonly step: number
  /** The calls since the prompt, in call order. */
  readonly results: readonly ToolOutcome[]
  /** The names of the tools that the request offers. */
  readonly tools: ReadonlySet<string>
}

/** Text, said in pieces of about a word, or in exactly the given pieces. */
export interface ScriptedText {
  readonly type: 'text'
  readonly text: string | readonly string[]
  /** The block is never stopped. */
  readonly unfinished?: boolean
}

/** Reasoning; its signature is made from it. */
export interface ScriptedThinking {
  readonly type: 'thinking'
  readonly thinking: string
  readonly unfinished?: boolean
}

/** A call; its id is made up and its input is sent in pieces of JSON. */
export interface ScriptedToolUse {
  readonly type: 'tool_use'
  readonly name: string
  readonly input: JsonObject
  readonly unfinished?: boolean
}

/** The stream fails here and ends. */
export interface ScriptedError {
  readonly type: 'error'
  readonly error: { readonly type: ApiErrorType; readonly message: string }
}

/** One part of a scripted reply. */
export type ScriptedBlock = ScriptedText | ScriptedThinking | ScriptedToolUse | ScriptedError

/** What the scripted model says in one turn. */
export interface ScriptedReply {
  readonly blocks: readonly ScriptedBlock[]
  /** Default: `tool_use` if there is a call, else `end_turn`. */
  readonly stopReason?: string
  /** A speed of its own, unless the emulator is instant. */
  readonly pace?: Pace
}

/** A script that answers some prompts. */
export interface Scenario {
  readonly name: string
  /** One sentence for a list of what can be tried. */
  readonly summary: string
  /** A prompt that chooses this scenario, to be offered as a suggestion. */
  readonly prompt?: string
  /** Tells whether this scenario answers a prompt, or what it has read out of it. */
  matches(prompt: string): boolean | ScenarioArgs
  reply(turn: Turn): ScriptedReply
}
