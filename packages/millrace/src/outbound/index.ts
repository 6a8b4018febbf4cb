export { toProviderErrorTexts, toToolErrorText } from './error-text.ts'
export type { ProviderErrorTexts } from './error-text.ts'
export { createOutboundPolicy } from './outbound-policy.ts'
export type {
  AllowFileId,
  ContentOwner,
  OutboundOptions,
  OutboundPolicy,
} from './outbound-policy.ts'
export { parseUrl } from './parse-url.ts'
export { readProviderHeader } from './provider-headers.ts'
export type { ProviderHeader } from './provider-headers.ts'
export { collectKnownSecrets } from './secrets/known-secrets.ts'
export { keepEnvironmentSecrets } from './secrets/environment-secrets.ts'
export { keepSecrets, registeredWords } from './secrets/registered-secrets.ts'
export { redactedValue, redactHeaders } from './secrets/redact-headers.ts'
export type { PlainHeaders } from './secrets/redact-headers.ts'
export { redactPath } from './secrets/redact-path.ts'
export { redactText } from './secrets/redact-text.ts'
export type { RedactTextOptions } from './secrets/redact-text.ts'
export { createSecretScanner } from './secrets/secret-scanner.ts'
export type { SecretScanner } from './secrets/secret-scanner.ts'
export type { SecretScannerOptions } from './secrets/word-reader.ts'
export { removeMarkup } from './strip-markup.ts'
export type { UrlRules } from './url-rules.ts'
