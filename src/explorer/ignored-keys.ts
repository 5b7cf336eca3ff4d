// Keys that explorers of some release, or of some chain, are known to send and that nothing here reads. They are no
// unknown fields: so `chainwarden_explorer_unknown_fields_total` grows when an explorer was upgraded to something new.

const ROLLUPS = ['arbitrum', 'celo', 'optimism', 'scroll', 'zilliqa', 'zksync'];

/** By the name of the record. */
export const IGNORED_KEYS = {
  Token: ['is_bridged', 'filecoin_robust_address', 'zilliqa'],
  TokenBalance: ['reputation'],
  InternalTransaction: ['block_index'],
  Transaction: [
    ...ROLLUPS,
    ...['historic_exchange_rate', 'fhe_operations_count'],
    ...['max_fee_per_blob_gas', 'blob_versioned_hashes', 'blob_gas_used', 'blob_gas_price', 'burnt_blob_fee'],
    ...['l1_fee_scalar', 'l1_gas_price', 'l1_gas_used', 'operator_fee', 'batch_index'],
    ...['op_withdrawals', 'op_interop', 'op_interop_messages'],
    ...['zkevm_status', 'zkevm_batch_number', 'zkevm_sequence_hash', 'zkevm_verify_hash'],
    ...['stability_fee', 'allowed_peekers', 'execution_node', 'wrapped'],
    // Lists of some chains hold rewards among the transactions: they have no hash.
    ...['emission_reward', 'block_hash', 'types'],
  ],
  Block: [
    ...ROLLUPS,
    ...['internal_transactions_count', 'is_pending_update', 'has_beacon_chain_withdrawals', 'beacon_deposits_count'],
    ...['blob_transactions_count', 'blob_transaction_count', 'blob_tx_count'],
    ...['blob_gas_used', 'excess_blob_gas', 'blob_gas_price', 'burnt_blob_fees'],
    ...['minimum_gas_price', 'hash_for_merged_mining', 'bitcoin_merged_mining_header'],
    ...['bitcoin_merged_mining_coinbase_transaction', 'bitcoin_merged_mining_merkle_proof'],
  ],
  AddressDetails: [
    ...['ens_domain_name', 'implementation_name', 'is_scam', 'reputation', 'metadata', 'token'],
    ...['private_tags', 'public_tags', 'watchlist_names', 'watchlist_address_id'],
    ...['creation_transaction_hash', 'creation_tx_hash', 'creation_status'],
    ...['has_logs', 'has_tokens', 'has_token_transfers', 'has_validated_blocks', 'has_beacon_chain_withdrawals'],
    ...['has_decompiled_code', 'has_custom_methods_read', 'has_custom_methods_write'],
    ...['has_methods_read', 'has_methods_write', 'has_methods_read_proxy', 'has_methods_write_proxy'],
    ...['filecoin', 'creator_filecoin_robust_address', 'celo', 'zilliqa'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
