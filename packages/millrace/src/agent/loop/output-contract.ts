import {
  isStandardSchema,
  type JsonObject,
  readOutputJson,
  type StandardSchema,
} from '../../json/index.ts'
import { fromJsonSchema, fromStandardSchema } from '../../tools/index.ts'

/** The output that an agent must give: as an instruction for the model, and as a check of its final answer. */
export interface OutputContract {
  readonly instruction: string
  /** Returns the problem of an answer, in words for the model; undefined if it is valid. */
  readonly findProblem: (answer: string) => Promise<string | undefined>
}

const words = {
  subject: '`output` of the agent',
  remedy: 'pass a JSON Schema as `output`',
  values: 'members',
}

const REPAIR = 'Answer again, with the corrected JSON object and nothing else.'

/** Creates the contract of an output. Throws `bad_request` for a schema that is not of an object, or has no JSON Schema. */
export function createOutputContract(schema: StandardSchema | JsonObject): OutputContract {
  const { jsonSchema, check } = isStandardSchema(schema)
    ? fromStandardSchema(words, schema)
    : fromJsonSchema(words, schema)
  return {
    instruction: `Your final answer must be one JSON object that matches this JSON Schema, and nothing else: no explanation and no code fence.\n${JSON.stringify(jsonSchema)}`,
    async findProblem(answer) {
      const value = readOutputJson(answer)
      if (value === undefined) return `Your answer is not JSON. ${REPAIR}`
      const checked = await check(value)
      return 'problem' in checked ? `${checked.problem}\n${REPAIR}` : undefined
    },
  }
}
