/** Patterns of model names and OpenTelemetry's names of their providers. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/claude/i, 'anthropic'],
  [/gpt-|\bo[1-9]\b/i, 'openai'],
  [/gemini/i, 'gcp.gemini'],
  [/[sx]tral/i, 'mistral_ai'],
  [/deepseek/i, 'deepseek'],
  [/grok/i, 'x_ai'],
  [/kimi|moonshot/i, 'moonshot_ai'],
  [/command-/i, 'cohere'],
  [/sonar/i, 'perplexity'],
]

/** OpenTelemetry's name for an unknown provider. */
const OTHER = '_OTHER'

/** Derives the provider from a model id. The conventions require one on every span. */
export function providerOf(model: string): string {
  return providers.find(([pattern]) => pattern.test(model))?.[1] ?? OTHER
}
