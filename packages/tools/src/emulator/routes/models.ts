import type { JsonObject } from 'millrace'

/** The models of the API at the time of writing, newest first, and the emulator's own model. */
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

/** The families up to 4.5, which continue a prefilled assistant message. */
const prefillModels = /^claude-(?:[23][-.]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** Checks whether a model accepts a prefilled assistant message. */
export function takesPrefill(modelId: string): boolean {
  return prefillModels.test(modelId)
}

/** All models in the format of the Models API. */
export const modelInfos: readonly JsonObject[] = modelIds.map((id) => {
  const [, line = null, version = ''] = /^claude-([a-z]+)-([\d-]+)$/.exec(id) ?? []
  return {
    type: 'model',
    id,
    display_name:
      line === null ? 'Emulator' : `Claude ${capital(line)} ${version.replaceAll('-', '.')}`,
    // The API sends this date for a model whose release date is unknown.
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
