/** The provider whose models are named like this, by OpenTelemetry's word for it. */
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

/** OpenTelemetry's word for what no other word fits. */
const OTHER = '_OTHER'

/** Whose model this seems to be; the conventions ask for one on every span, to the best of one's knowledge. */
export function providerOf(model: string): string {
  return providers.find(([pattern]) => pattern.test(model))?.[1] ?? OTHER
}
