// Conditions that show the functions and methods of the rule language in use. A test compiles every one.

export const TRANSACTION_EXAMPLES: Readonly<Record<string, string>> = {
  has: 'has(to.name)',
  size: 'size(to.implementations) > 1',
  amount: 'value > amount("0.5")',
  percent: 'fee.value > value * percent("5")',
  unlimited: 'unlimited(value)',
  re: 're(method, "^(swap|exit)")',
  glob: 'glob(method, "swap*")',
  '.exists': 'transaction_types.exists(t, t == "token_transfer")',
  '.all': 'transaction_types.all(t, t == "coin_transfer")',
  '.exists_one': 'to.public_tags.exists_one(t, t.label == "exchange")',
  '.filter': 'decoded_input.parameters.filter(t, t.type == "address").size() > 1',
  '.map': '"spender" in decoded_input.parameters.map(t, t.name)',
  '.contains': 'revert_reason.contains("paused")',
  '.startsWith': 'method.startsWith("with")',
  '.endsWith': 'method.endsWith("draw")',
  '.lowerAscii': 'method.lowerAscii() == "withdraw"',
  '.upperAscii': 'method.upperAscii() == "WITHDRAW"',
  '.trim': 'method.trim() == "exit"',
  '.size': 'method.size() > 20',
};

export const BLOCK_EXAMPLES: Readonly<Record<string, string>> = {
  duration: 'age > duration("2m")',
  timestamp: 'head.timestamp > timestamp("2026-01-31T00:00:00Z")',
  hour: 'hour("Europe/Berlin") >= 8',
  weekday: 'weekday("Europe/Berlin") in ["sat", "sun"]',
  '.getFullYear': 'timestamp.getFullYear() > 2026',
  '.getMonth': 'timestamp.getMonth() == 0',
  '.getDayOfMonth': 'timestamp.getDayOfMonth() == 0',
  '.getDayOfWeek': 'timestamp.getDayOfWeek() in [0, 6]',
  '.getDayOfYear': 'timestamp.getDayOfYear() == 0',
  '.getHours': 'timestamp.getHours() >= 22',
  '.getMinutes': 'timestamp.getMinutes() < 5',
  '.getSeconds': 'timestamp.getSeconds() == 0',
};
