import type { JsonObject } from '../json/index.ts'

/** The models that the API offers at the time of writing, newest first, and the emulator itself. */
const modelIds = [
  'claude-fable-5-2',
  'claude-mythos-5-2',
  'claude-haiku-5-5',
  'claude-sonnet-5-5',
  'claude-fable-5-1',
  'claude-opus-5-5',
  'claude-mythos-5-1',
  'claude-sonnet-5',
  'claude-fable-5',
  'claude-mythos-5',
  'claude-opus-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-haiku-4-5',
  'claude-opus-4-5',
  'claude-sonnet-4-5',
  'emulator',
]

/** The families up to 4.5, which go on from text that a request puts into their mouth. */
const prefillModels = /^claude-(?:[23][-.]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** Tells whether a model takes the beginning of its answer from the request. */
export function takesPrefill(modelId: string): boolean {
  return prefillModels.test(modelId)
}

/** All models, as the Models API describes them. */
export const modelInfos: readonly JsonObject[] = modelIds.map((id) => {
  const [, line = null, version = ''] = /^claude-([a-z]+)-([\d-]+)$/.exec(id) ?? []
  return {
    type: 'model',
    id,
    display_name:
      line === null ? 'Emulator' : `Claude ${capital(line)} ${version.replaceAll('-', '.')}`,
    // What the API tells of a model whose date it does not know.
    created_at: '1970-01-01T00:00:00Z',
    line,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: null,
    max_tokens: null,
    capabilities: null,
  }
})

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
