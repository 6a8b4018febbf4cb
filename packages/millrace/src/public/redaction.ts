export {
  keepEnvironmentSecrets,
  keepSecrets,
  registeredWords,
} from '../outbound/secrets/registered-secrets.ts'
export { collectKnownSecrets } from '../outbound/secrets/known-secrets.ts'
export { redactedValue, redactHeaders, redactPath } from '../outbound/secrets/redact-headers.ts'
export { toErrorLog } from '../outbound/print-error.ts'
export { redactText, type RedactTextOptions } from '../outbound/secrets/redact-text.ts'
export { createSecretScanner, type SecretScanner } from '../outbound/secrets/secret-scanner.ts'
export type { SecretScannerOptions } from '../outbound/secrets/word-reader.ts'
